/** What the runtime and the build provide as modules. */
declare module 'cloudflare:workers' {
  export class DurableObject<Bindings> {
    protected readonly ctx: import('./runtime.js').ObjectState
    protected readonly env: Bindings
    constructor(ctx: import('./runtime.js').ObjectState, env: Bindings)
  }
}

/** The built-in scenarios, as they lie in the folder: text by the name of the file. */
declare module 'bundled:scenarios' {
  const files: Readonly<Record<string, string>>
  export default files
}

/** The built dashboard: text by the name of the file. */
declare module 'bundled:pages' {
  const files: Readonly<Record<string, string>>
  export default files
}

/** A stream that must carry exactly so many bytes; the answer announces them. */
declare class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(bytes: number)
}
