/** Routes of chaos: random faults while the sandbox runs. */
import { chaosSchema } from '../settings/chaos.js'
import { model, route } from './route.js'

const chaos = model('Chaos', () => chaosSchema().describe('`{}`: no faults. Each rate is a string such as `1%`'))

export const chaosRoutes = {
  readChaos: route({
    method: 'GET',
    path: '/chaos',
    summary: 'Which random faults occur, and how often',
    answer: chaos,
  }),
  setChaos: route({
    method: 'PUT',
    path: '/chaos',
    summary: 'Inject random faults from now on; replaces all earlier faults',
    body: chaosSchema,
    answer: chaos,
    example: { seed: 'a', error: '1%', slow: { share: '5%', by: '1s' } },
  }),
  endChaos: route({ method: 'DELETE', path: '/chaos', summary: 'Stop injecting faults', answer: chaos }),
} as const
