# One image for every process of the service; the command chooses: what the scripts `api` (default) and `worker` of
# package.json run, or `node bin/gate.js migrate`.
# Debian, not Alpine: Temporal's core is a native library built against glibc.
ARG NODE_IMAGE=node:20.20.2-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages ./packages
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json LICENSE ./
COPY bin ./bin
COPY activities ./activities
COPY dev ./dev
COPY workflows ./workflows
COPY src ./src
# What production runs, without the compiler, the bundler and the libraries of other platforms.
RUN npm run build && npm run --silent assemble -- /service

# The stand-ins of the providers, which the image does not contain: for docker-compose.yml.
FROM build AS sandbox
RUN mkdir /data && chown node:node /data
ENV HOST=0.0.0.0 DATA_DIR=/data
USER node

FROM ${NODE_IMAGE}
# Temporal's core checks TLS servers against the system's certificates, which the slim image lacks.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
# A new named volume takes over the owner of the folder it is mounted on.
RUN mkdir /data && chown node:node /data
# Temporal's core runs many threads, and glibc would keep freed memory for each of them.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 DATA_DIR=/data MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=build /service ./
USER node
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--max-old-space-size=1024", "dist/src/api.js"]
