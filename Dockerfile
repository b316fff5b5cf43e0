# The first stage bundles the program, the second contains only what runs. It uses Node's own SQLite, so nothing is compiled.
ARG BASE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier
COPY . .
RUN node build.mjs

FROM ${BASE}
# The image cannot know who can reach its port, so the demonstration accounts get random secrets. If you publish the port
# to loopback only, you can use the published secrets: docker run -p 127.0.0.1:4010:4010 -e PAYMENTS_SANDBOX_DEMO_SECRETS=known …
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
# Status 200 means that the sandbox works and can store a charge. The check needs no token.
HEALTHCHECK --interval=2s --timeout=3s --start-period=10s --retries=15 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PAYMENTS_SANDBOX_PORT ?? 4010}/_sandbox/health`).then(({ status }) => process.exit(status === 200 ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["payments-sandbox"]
CMD ["start"]
