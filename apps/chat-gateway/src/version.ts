/** Of this release; stands in announcements and in the API's description. */
export const VERSION = '0.1.0';
