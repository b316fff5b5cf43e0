/** The script of the payer's page: countdown, copy buttons, the testers' toolbar, and polling for changes. */
import { requestHeaders } from '../../protocol/platform/headers.js'
import { copyOnClick } from './copy-button.js'

const etag = document.querySelector('main')?.dataset.etag

const timer = document.querySelector<HTMLElement>('time[data-left]')
if (timer?.dataset.moving === 'yes') {
  const endsAtMs = performance.now() + Number(timer.dataset.left) * 1000
  const pad = (value: number) => String(value).padStart(2, '0')
  setInterval(() => {
    const left = Math.max(0, Math.ceil((endsAtMs - performance.now()) / 1000))
    const hours = Math.floor(left / 3600)
    timer.textContent = `${hours > 0 ? `${hours}:` : ''}${pad(Math.floor(left / 60) % 60)}:${pad(left % 60)}`
  }, 500)
}

for (const button of document.querySelectorAll<HTMLElement>('[data-copy]'))
  copyOnClick(button, button.dataset.copy ?? '')

async function reloadIfChanged(shown: string): Promise<void> {
  if (document.hidden) return
  const answer = await fetch(location.href, { headers: { 'If-None-Match': shown }, cache: 'no-store' }).catch(
    () => null,
  )
  if (answer === null || answer.status === 429 || answer.status >= 500) return
  if (answer.headers.get('etag') !== shown) location.reload()
}
if (etag !== undefined) setInterval(() => void reloadIfChanged(etag), 1000)

const toolbar = document.querySelector('aside')
if (toolbar !== null) showToolbar(toolbar)

function showToolbar(toolbar: HTMLElement): void {
  const tokenKey = 'sandbox-admin-token'
  const form = toolbar.querySelector('form')
  const input = toolbar.querySelector('input')
  const message = toolbar.querySelector<HTMLElement>('.message')
  if (form === null || input === null || message === null) return
  toolbar.hidden = false
  document.body.classList.add('tested')
  let again: HTMLElement | null = null
  const act = async (button: HTMLElement) => {
    const token = sessionStorage.getItem(tokenKey)
    const { action, amount } = button.dataset
    const answer = await fetch('../_sandbox/trigger', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(token === null ? {} : { [requestHeaders.adminToken]: token }),
      },
      body: JSON.stringify({ action, id: toolbar.dataset.id, amount }),
    }).catch(() => null)
    if (answer === null) {
      message.textContent = toolbar.dataset.noAnswer ?? null
      return
    }
    if (answer.ok) {
      location.reload()
      return
    }
    if (answer.status === 401) {
      form.hidden = false
      again = button
      input.focus()
    }
    message.lang = 'en'
    message.textContent = (await answer.json()).error.message
  }
  for (const button of toolbar.querySelectorAll<HTMLElement>('[data-action]'))
    button.addEventListener('click', () => void act(button))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    sessionStorage.setItem(tokenKey, input.value)
    form.hidden = true
    if (again !== null) void act(again)
  })
}
