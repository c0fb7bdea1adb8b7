// Sphinx's search finds nothing when a word of the query has a stem of one or two letters that
// the index left out ("being" → "be", "its" → "it", "one" → "on"). Pasted error messages are
// full of such words: leave them out of the query. Must be loaded before searchtools.js.
var splitQuery = (query) =>
  query
    .split(/[^\p{Letter}\p{Number}_\p{Emoji_Presentation}]+/gu)
    .filter((term) => term && new Stemmer().stemWord(term.toLowerCase()).length > 2);
