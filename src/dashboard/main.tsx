/** Starts the page. */
import { render } from 'hono/jsx/dom'
import { App } from './app.js'
import { listenForSearch } from './parts/frame/palette.js'
import { followClock } from './store/clock.js'
import { followStream, reconnectNow } from './store/live.js'
import { applyTheme } from './store/theme.js'

applyTheme()
followClock()
listenForSearch()
void followStream()
addEventListener('online', reconnectNow)
document.addEventListener('visibilitychange', reconnectNow)

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
