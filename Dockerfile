# Two stages: the first bundles, the second holds what runs. Node's own SQLite opens the databases, so nothing is compiled.
ARG BASE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier
COPY . .
RUN node build.mjs

FROM ${BASE}
# The image cannot know who reaches its port, so the demonstration accounts get random secrets. Whoever publishes the port to
# loopback only adds the published ones: docker run -p 127.0.0.1:4010:4010 -e PAYMENTS_SANDBOX_DEMO_SECRETS=known …
ENV NODE_ENV=production PAYMENTS_SANDBOX_HOST=0.0.0.0 PAYMENTS_SANDBOX_DEMO_SECRETS=random
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
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
