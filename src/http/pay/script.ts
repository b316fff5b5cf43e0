/** The script of the payer's page: countdown, copy buttons, the testers' toolbar, and polling for changes. */
import { requestHeaders } from '../../protocol/platform/headers.js'
import { copyScript } from '../copy-script.js'

export const script = `${copyScript}const main = document.querySelector('main')
const etag = main.dataset.etag
const timer = document.querySelector('time[data-left]')
if (timer && timer.dataset.moving === 'yes') {
  const endsAt = performance.now() + Number(timer.dataset.left) * 1000
  const pad = (value) => String(value).padStart(2, '0')
  setInterval(() => {
    const left = Math.max(0, Math.ceil((endsAt - performance.now()) / 1000))
    const hours = Math.floor(left / 3600)
    timer.textContent = (hours > 0 ? hours + ':' : '') + pad(Math.floor(left / 60) % 60) + ':' + pad(left % 60)
  }, 500)
}

for (const button of document.querySelectorAll('[data-copy]')) copiesOnClick(button, button.dataset.copy)

const look = async () => {
  if (document.hidden) return
  const answer = await fetch(location.href, { headers: { 'If-None-Match': etag }, cache: 'no-store' }).catch(() => null)
  if (answer === null || answer.status === 429 || answer.status >= 500) return
  if (answer.headers.get('etag') !== etag) location.reload()
}
if (etag) setInterval(look, 1000)

const bar = document.querySelector('aside')
const tokenKey = 'sandbox-admin-token'
if (bar) {
  bar.hidden = false
  document.body.classList.add('tested')
  const message = bar.querySelector('.message')
  const ask = bar.querySelector('.token')
  let again = null
  const act = async (button) => {
    const token = sessionStorage.getItem(tokenKey)
    const { action, amount } = button.dataset
    const answer = await fetch('../_sandbox/trigger', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token === null ? {} : { '${requestHeaders.adminToken}': token }) },
      body: JSON.stringify({ action, id: bar.dataset.id, ...(amount === undefined ? {} : { amount }) }),
    }).catch(() => null)
    if (answer === null) { message.textContent = 'The sandbox does not answer.'; return }
    if (answer.ok) { location.reload(); return }
    if (answer.status === 401) { ask.hidden = false; again = button; ask.elements.token.focus() }
    message.textContent = (await answer.json()).error.message
  }
  for (const button of bar.querySelectorAll('[data-action]')) button.addEventListener('click', () => act(button))
  ask.addEventListener('submit', (event) => {
    event.preventDefault()
    sessionStorage.setItem(tokenKey, ask.elements.token.value)
    ask.hidden = true
    if (again !== null) act(again)
  })
}
`
