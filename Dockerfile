# The site, served by nginx on port 8080 as a user without privileges:
#   docker build --tag gamedata --build-arg BASE_URL=https://example.org .
#   docker run --publish 80:8080 gamedata
# The image contains the site: build it again to refresh the data.

# The site is the same for every architecture.
FROM --platform=$BUILDPLATFORM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
ARG BASE_URL=http://localhost
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
