/** A copy button, shared by the scripts of all pages. */
export const copyScript = `const copiesOnClick = (button, text) => {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
}
`
