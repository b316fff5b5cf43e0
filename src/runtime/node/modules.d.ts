/** Files of libraries that are loaded by themselves. */
declare module 'prom-client/lib/registry.js' {
  import { Registry } from 'prom-client'
  export default Registry
}

declare module 'prom-client/lib/defaultMetrics.js' {
  import { collectDefaultMetrics } from 'prom-client'
  export default collectDefaultMetrics
}

/** The main module of undici also loads `fetch`, caches and cookies, a tenth of the start time. */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici'
}
