/** Exports the YAML library from a file of its own, so that only commands that need YAML load the library. */
export { parse, stringify } from 'yaml'
