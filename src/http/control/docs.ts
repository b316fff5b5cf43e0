/** The API documentation: the OpenAPI document, and the page generated from it. */
import { credentialForEvents, listAccounts } from '../../core/auth/account.js'
import { demoCredential } from '../../core/auth/demo-secrets.js'
import type { streamRoutes } from '../../protocol/control/stream-and-pages.js'
import { copyScript } from '../copy-script.js'
import { documentCache, type SandboxDocument } from '../openapi/document.js'
import type { PageContext } from '../openapi/page/curl.js'
import { docsPage } from '../openapi/page/page.js'
import { style } from '../openapi/page/style.js'
import { pageSecurity } from '../page-security.js'
import type { CallContext, Handlers } from './routes.js'
import { baseUrlOf } from './workspaces.js'

/** The page's only script: a copy button on each command. Everything else works without it. */
const script = `${copyScript}for (const pre of document.querySelectorAll('.sample pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  copiesOnClick(button, pre.textContent)
  pre.parentElement.querySelector('figcaption').append(button)
}
const menu = document.querySelector('nav details')
const narrow = matchMedia('(max-width: 60rem)')
const fold = () => { menu.open = !narrow.matches }
fold()
narrow.addEventListener('change', fold)
menu.addEventListener('click', (event) => { if (event.target.closest('a')) fold() })
`

const page = (type: string, body: string) =>
  new Response(body, { headers: { 'Content-Type': `${type}; charset=utf-8`, ...pageSecurity } })

const cached = documentCache()
const document = (call: CallContext): SandboxDocument =>
  cached({
    baseUrl: baseUrlOf(call),
    version: call.host.version,
    features: call.host.routes,
    config: call.ws.config,
  })

/** The page shows a credential of this workspace, so that its commands work when pasted. */
function pageContext(call: CallContext): PageContext {
  const [account] = listAccounts(call.ws.db)
  const credential = account === undefined ? undefined : credentialForEvents(call.ws.db, account.seq, null)
  return {
    baseUrl: baseUrlOf(call),
    credential: credential ?? demoCredential('merchant'),
    asksToken: !call.host.isAdmin(null),
  }
}

export const docsHandlers: Handlers<Omit<typeof streamRoutes, 'streamChanges'>> = {
  readOpenApi: (call) => ({ ...document(call) }),
  readDocs: (call) => page('text/html', docsPage(document(call), pageContext(call))),
  readDocsStyle: () => page('text/css', style),
  readDocsScript: () => page('text/javascript', script),
}
