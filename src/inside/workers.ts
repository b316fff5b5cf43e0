/** A deployment on Durable Objects. */
export { type Bindings, settingsOf } from '../runtime/workers/bindings.js'
export { databaseOf } from '../runtime/workers/database.js'
export { accessOf } from '../runtime/workers/host.js'
export { callAfter, type Home, type ObjectsByName, wallClock } from '../runtime/workers/runtime.js'
export { allToOneReceiver, Connections, senderOf } from '../runtime/workers/send.js'
