/** A moment that a test decides: whoever waits for it goes on when it has been opened. */
export interface Gate {
  opened: Promise<void>
  open: () => void
}

export function gate(): Gate {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
