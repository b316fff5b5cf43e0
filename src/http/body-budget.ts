/** How much memory the bodies of all calls may take together: each call takes its share while it arrives, and gives it back once it is answered. */

export interface Held {
  /** false where there is no room for so many more. */
  take(bytes: number): boolean
  release(): void
}

/** Makes the share of one call after the other. */
export function createRoom(maxBytes: number): () => Held {
  let taken = 0
  return () => {
    let own = 0
    return {
      take(bytes) {
        if (taken + bytes > maxBytes) return false
        taken += bytes
        own += bytes
        return true
      },
      release() {
        taken -= own
        own = 0
      },
    }
  }
}
