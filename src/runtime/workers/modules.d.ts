/** Modules that the runtime and the build provide. */
declare module 'cloudflare:workers' {
  export class DurableObject<Bindings> {
    protected readonly ctx: import('./runtime.js').ObjectState
    protected readonly env: Bindings
    constructor(ctx: import('./runtime.js').ObjectState, env: Bindings)
  }
}

/** The built-in scenarios: file names and texts. */
declare module 'bundled:scenarios' {
  const files: Readonly<Record<string, string>>
  export default files
}

/** The built dashboard: file names and texts. */
declare module 'bundled:pages' {
  const files: Readonly<Record<string, string>>
  export default files
}

/** A stream with exactly this many bytes; the response declares this number as its length. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(bytes: number)
}
