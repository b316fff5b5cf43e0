# Two stages: the first compiles and bundles, the second holds what runs.
FROM node:24-bookworm-slim AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts && npm rebuild better-sqlite3
COPY . .
RUN node build.mjs && npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
# The image cannot know who reaches its port, so the demonstration accounts get random secrets. Whoever publishes the port to
# loopback only adds the published ones: docker run -p 127.0.0.1:4010:4010 -e PAYMENTS_SANDBOX_DEMO_SECRETS=known …
ENV NODE_ENV=production PAYMENTS_SANDBOX_HOST=0.0.0.0 PAYMENTS_SANDBOX_DEMO_SECRETS=random
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist
COPY --from=build /app/scenarios scenarios
RUN ln -s /app/bin/payments-sandbox.js /usr/local/bin/payments-sandbox \
  && mkdir /data && chown node:node /data
USER node
EXPOSE 4010
# 200: it works and its store can take a charge. Needs no token.
HEALTHCHECK --interval=2s --timeout=3s --start-period=10s --retries=15 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PAYMENTS_SANDBOX_PORT ?? 4010}/_sandbox/health`).then(({ status }) => process.exit(status === 200 ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["payments-sandbox"]
CMD ["start"]
