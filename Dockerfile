# The site, served by nginx on port 8080 as a user without privileges. Requires BuildKit: Docker 23 or later, or buildx.
#   docker build --tag gamedata .
#   docker run --publish 8080:8080 gamedata
# Links lead to http://localhost:8080. For another URL, add --build-arg BASE_URL=https://example.org to the build.
# The image contains the site: build it again to refresh the data. Add --build-arg SOURCE=snapshot to build from the committed data/.

# BuildKit sets BUILDPLATFORM. The site is the same for every architecture, so it is built on the builder's own.
FROM --platform=$BUILDPLATFORM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
ARG BASE_URL=http://localhost:8080
ARG SOURCE=rest
ARG SPRITES=link
RUN npm run build -- --source "$SOURCE" --base-url "$BASE_URL" --sprites "$SPRITES" --host nginx --root /srv/gamedata --out site
# The container listens on 8080, regardless of BASE_URL, and may lack IPv6.
RUN sed 's/^    listen [0-9]*;/    listen 8080;/; /^    listen \[::\]/d' site/_hosts/nginx.conf > nginx.conf
RUN node -p 'new URL(process.argv[1]).pathname.replace(/\/$/, "") + "/meta.json"' "$BASE_URL" > health

FROM nginxinc/nginx-unprivileged:stable
COPY --from=build /app/site /srv/gamedata
COPY --from=build /app/nginx.conf /etc/nginx/conf.d/default.conf
COPY --from=build /app/health /srv/health
USER 101
EXPOSE 8080
HEALTHCHECK CMD curl --fail --silent --show-error --output /dev/null "http://127.0.0.1:8080$(cat /srv/health)"
