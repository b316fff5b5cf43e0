/** The command line: `start` runs a sandbox, every other command talks to one over the control API. */
import { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { addStart } from './start.js'

const program = new Command('payments-sandbox').description(manifest.description).version(manifest.version)
addStart(program)
await program.parseAsync()
