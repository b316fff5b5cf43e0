/** The copy buttons of pages without the dashboard's own script. Where the browser has no clipboard, they stay hidden. */
export function copyOnClick(button: HTMLElement, text: string): void {
  button.hidden = navigator.clipboard === undefined
  const label = button.textContent
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text)
    button.textContent = button.dataset.copied ?? 'Copied'
    setTimeout(() => {
      button.textContent = label
    }, 1500)
  })
}
