# One image for every process; the command chooses: dist/worker.js (the default), dist/receiver.js, dist/console.js,
# dist/codec-server.js, dist/link.js, dist/sandbox.js, or dist/starter.js with the arguments of gangway.

FROM node:24.21.0-bookworm-slim AS base

FROM base AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
RUN npm run build

FROM base AS production
WORKDIR /app
COPY package.json package-lock.json ./
# The SDK's native part comes for five platforms, 27 MB each; types and source maps of packages are for developers.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
      ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} + \
 && find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete

FROM base
LABEL org.opencontainers.image.title="gangway" \
      org.opencontainers.image.description="A Temporal worker that onboards merchants and businesses at payment and banking partners" \
      org.opencontainers.image.licenses="MIT"
# As process 1 it hands signals on and reaps; the version is that of the base image's distribution.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/* \
 && install --directory --owner=10001 --group=10001 --mode=0700 /data
WORKDIR /app
COPY package.json ./
COPY deploy/health-check.mjs deploy/health-check.mjs
COPY --from=production /app/node_modules node_modules
COPY --from=build /app/dist dist
# `gangway explain`, `gangway help settings` and the console show their texts.
COPY docs/codes.md docs/configuration.md docs/operations.md docs/
# Only /data is written to. What listens is for the network in front of it; each process checks for itself what that needs.
ENV NODE_ENV=production \
    DOCUMENT_DIR=/data/documents \
    STATEMENT_DIR=/data/statements \
    GANGWAY_HEALTH_ADDRESS=0.0.0.0:8081 \
    RECEIVER_ADDRESS=0.0.0.0:8082
USER 10001:10001
# Of the worker; the other processes are asked elsewhere, by whoever starts them.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "deploy/health-check.mjs", "http://127.0.0.1:8081/healthz"]
ENTRYPOINT ["tini", "--", "node", "--enable-source-maps"]
CMD ["dist/worker.js"]
