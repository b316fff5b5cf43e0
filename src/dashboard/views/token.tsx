/** The form that asks for the admin token of a shared sandbox. */

import { hasStoredToken, storeToken } from '../api.js'
import { formOf } from '../store/form.js'

export const TokenView = () => {
  const submit = (event: Event) => {
    event.preventDefault()
    const token = new FormData(formOf(event)).get('token')
    if (typeof token === 'string' && token !== '') storeToken(token.trim())
  }
  return (
    <main class="door" id="main">
      <form class="panel" onSubmit={submit}>
        <div class="panel-body">
          <img src="/assets/icon.svg" alt="" width={40} height={40} />
          <h1>This sandbox is shared</h1>
          <p>
            Its admin token opens the dashboard. It was printed when the sandbox started, and is stored only in this
            tab.
          </p>
          {hasStoredToken ? (
            <p class="failure" role="alert">
              The token is wrong. The sandbox prints the admin token when it starts.
            </p>
          ) : null}
          <div class="field">
            <label for="token">Admin token</label>
            <input id="token" name="token" type="password" autocomplete="off" required />
          </div>
          <button type="submit" class="button primary">
            Open the dashboard
          </button>
        </div>
      </form>
    </main>
  )
}
