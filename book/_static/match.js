// How the fields over tables match: a row is shown if each word that is typed occurs in it. A word is
// made of letters, digits and underscores; case and accents do not count.
window.Match = {
  words: (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [],
  text: (text) => ` ${window.Match.words(text).join(" ")} `,
  fits: (text, words) => words.every((word) => text.includes(word)),
};
