/** YAML, loaded only by what reads or writes it. */
export { parse, stringify } from 'yaml'
