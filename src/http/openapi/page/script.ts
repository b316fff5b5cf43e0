/** The page's only script: a copy button on each command. Without it the page lacks nothing else. */
export const script = `for (const pre of document.querySelectorAll('.sample pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
  if (navigator.clipboard) pre.parentElement.querySelector('figcaption').append(button)
}
const menu = document.querySelector('nav details')
if (matchMedia('(max-width: 60rem)').matches) {
  menu.open = false
  menu.addEventListener('click', (event) => { if (event.target.closest('a')) menu.open = false })
}
`
