/** Returns the mark for one secret and counts it. */
export type Marker = (secretClass: string, secret: string) => string;

/** One way to recognise secrets in a text. Every step takes time in proportion to the text, whatever stands in it. */
export type Step = (text: string, mark: Marker) => string;
