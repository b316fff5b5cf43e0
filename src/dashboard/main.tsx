/** Starts the page. */
import { render } from 'hono/jsx/dom'
import { App } from './app.js'
import { listenForSearch } from './parts/frame/palette.js'
import { followClock } from './store/clock.js'
import { follow, hurry } from './store/live.js'
import { applyTheme } from './store/theme.js'

applyTheme()
followClock()
listenForSearch()
void follow()
addEventListener('online', hurry)
document.addEventListener('visibilitychange', hurry)

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
