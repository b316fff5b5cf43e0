/** YAML, loaded only by what writes it. */
export { stringify } from 'yaml'
