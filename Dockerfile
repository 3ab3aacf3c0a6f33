# The site, built from the live upstream and served by nginx on port 80:
#   docker build --tag gamedata --build-arg BASE_URL=https://example.org .
#   docker run --publish 80:80 gamedata
# The image is the site: build it anew to refresh the data.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
ARG BASE_URL=http://localhost
ARG SOURCE=rest
ARG SPRITES=link
RUN npm run build -- --source "$SOURCE" --base-url "$BASE_URL" --sprites "$SPRITES" --host nginx --root /srv/gamedata --out site
# Whatever the port of BASE_URL, the container listens on 80.
RUN sed 's/^    listen [0-9]*;/    listen 80;/' site/_hosts/nginx.conf > nginx.conf

FROM nginx:stable
COPY --from=build /app/site /srv/gamedata
COPY --from=build /app/nginx.conf /etc/nginx/conf.d/default.conf
EXPOSE 80
