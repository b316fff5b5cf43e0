/** A gate that a test opens: everything that waits at it continues then. */
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
