export function switchOf(isOn: (id: number) => boolean, pass?: (id: number) => void): (id: number) => boolean
