/** A copy button, shared by the scripts of all pages. */
export const copyScript = `const copiesOnClick = (button, text) => {
  button.hidden = !navigator.clipboard
  const label = button.textContent
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text)
    button.textContent = button.dataset.copied ?? 'Copied'
    setTimeout(() => { button.textContent = label }, 1500)
  })
}
`
