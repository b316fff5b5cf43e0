/** The pool alone: undici's front door loads its `fetch`, caches and cookies too, a tenth of the time that a start takes. */
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici'
}
