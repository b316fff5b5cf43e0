/** Starts the page. */
import { render } from 'hono/jsx/dom'
import { App, shortcuts } from './app.js'
import { followClock } from './store/clock.js'
import { followStream, reconnectNow } from './store/live.js'
import { listenForShortcuts } from './store/shortcuts.js'
import { applyTheme } from './store/theme.js'
import { showError } from './store/toasts.js'

applyTheme()
followClock()
listenForShortcuts(shortcuts)
void followStream()
// Errors that no view handles. Some `error` events have no error, such as that of a ResizeObserver that loops.
addEventListener('error', ({ error }) => error instanceof Error && showError(error))
addEventListener('unhandledrejection', ({ reason }) => showError(reason))
addEventListener('online', reconnectNow)
document.addEventListener('visibilitychange', reconnectNow)

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
