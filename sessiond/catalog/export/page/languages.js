// The languages that code is coloured in: their comments, strings and words. The parts of a pattern
// exclude each other, so that matching takes time in proportion to the length of the code.

const COMMENT = {
  slashes: String.raw`\/\/.*|\/\*[^]*?(?:\*\/|(?![^]))`,
  hash: String.raw`(?<!\S)#.*`,
  dashes: String.raw`--(?!\[\[).*|--\[\[[^]*?(?:\]\]|(?![^]))`,
  sql: String.raw`--.*|\/\*[^]*?(?:\*\/|(?![^]))`,
  semicolon: String.raw`;.*`,
  percent: String.raw`%.*`,
};
const DOUBLE = String.raw`"(?:[^"\\\n]|\\[^])*"?`;
const SINGLE = String.raw`'(?:[^'\\\n]|\\[^])*'?`;
const BACKTICK = String.raw`${"`"}(?:[^${"`"}\\]|\\[^])*${"`"}?`;
const TRIPLE = String.raw`"""[^]*?(?:"""|(?![^]))|'''[^]*?(?:'''|(?![^]))`;
const BOTH = `${DOUBLE}|${SINGLE}`;
/** A character; a single quotation mark has another meaning, such as a lifetime. */
const CHARACTER = String.raw`'(?:[^'\\\n]|\\[^\n]{1,8})'`;
/** In a shell, strings can have several lines. */
const SHELL_STRING = String.raw`"(?:[^"\\]|\\[^])*"?|'[^']*'?`;

const words = (text) => new Set(text.split(" "));
const NAMES = new Map();
const language = (names, comment, string, keywords, more = {}) => {
  const made = { comment, string, keywords: words(keywords), ...more };
  for (const name of names.split(" ")) NAMES.set(name, made);
};

const CURLY = "break case catch class const continue default do else enum extends finally for if import in instanceof interface new private protected public return static super switch this throw try void while";
const JS = `${CURLY} as async await debugger delete export from function get let of set typeof var with yield`;
const C = "auto bool break case char const continue default do double else enum extern float for goto if inline int long register return short signed sizeof static struct switch typedef union unsigned void volatile while #include #define #ifdef #ifndef #endif #if #else #pragma";

language("js javascript mjs cjs jsx node", COMMENT.slashes, `${BOTH}|${BACKTICK}`, JS);
language("ts typescript tsx mts cts", COMMENT.slashes, `${BOTH}|${BACKTICK}`, `${JS} abstract any boolean declare implements infer is keyof namespace never number object override readonly satisfies string symbol type unknown`);
language("java", COMMENT.slashes, `${TRIPLE}|${DOUBLE}|${CHARACTER}`, `${CURLY} abstract assert boolean byte char double final float implements int long native package record sealed short synchronized throws transient var volatile yield`);
language("kt kts kotlin scala", COMMENT.slashes, `${TRIPLE}|${DOUBLE}|${CHARACTER}`, `${CURLY} abstract as by companion data def final fun given implicit init is lateinit lazy match object open override package sealed suspend trait type val var when with yield`);
language("c h", COMMENT.slashes, `${DOUBLE}|${CHARACTER}`, C);
language("cpp c++ cc cxx hpp hh ino", COMMENT.slashes, `${DOUBLE}|${CHARACTER}`, `${C} alignas catch class concept constexpr co_await co_return co_yield decltype delete explicit export final friend mutable namespace new noexcept operator override private protected public requires template this throw try typename using virtual`);
language("cs csharp c#", COMMENT.slashes, `${DOUBLE}|${CHARACTER}`, `${CURLY} abstract as async await base bool byte char decimal delegate double event explicit fixed float foreach get implicit int internal is lock long namespace object out override params readonly record ref sealed set short sizeof string struct typeof uint ulong using var virtual volatile where yield`);
language("go golang", COMMENT.slashes, `${DOUBLE}|${CHARACTER}|${BACKTICK}`, "any bool break byte case chan const continue default defer else error fallthrough float64 for func go goto if import int int64 interface map package range return rune select string struct switch type uint uint64 var");
language("rs rust", COMMENT.slashes, `${DOUBLE}|${CHARACTER}`, "as async await bool break const continue crate dyn else enum extern f64 fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str struct super trait type u8 u32 u64 union unsafe use usize where while");
language("swift", COMMENT.slashes, `${TRIPLE}|${DOUBLE}`, `${CURLY} actor as associatedtype async await defer deinit extension fallthrough fileprivate func guard init inout internal is let lazy mutating open operator override protocol repeat rethrows self Self some struct subscript throws typealias var weak where`);
language("dart zig", COMMENT.slashes, `${TRIPLE}|${BOTH}`, `${CURLY} abstract as assert async await bool comptime defer double dynamic errdefer external factory final fn get implements int is late library mixin mut num operator orelse part pub required rethrow set struct test typedef union unreachable var with yield`);
language("php", `${COMMENT.slashes}|${COMMENT.hash}`, BOTH, `${CURLY} abstract and array as callable clone declare echo elseif endforeach endif final fn foreach function global implements include include_once isset list match namespace or print readonly require require_once trait unset use var xor yield`);
language("py python python3 pyi py3", COMMENT.hash, `${TRIPLE}|${BOTH}`, "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield", { before: "[rbfuRBFU]{0,2}" });
language("rb ruby", COMMENT.hash, BOTH, "alias and begin break case class def do else elsif end ensure extend for if in include module next not or private protected public raise redo require rescue retry return self super then undef unless until when while yield attr_accessor attr_reader");
language("sh bash zsh shell console shell-session sh-session fish ksh", COMMENT.hash, SHELL_STRING, "alias break case cd continue do done echo elif else esac eval exec exit export fi for function if in local read return set shift source then trap unset until while", { variable: String.raw`\$(?:\{[^}\n]*\}?|\w+|[@*#?$!-])` });
language("ps1 powershell", COMMENT.hash, BOTH, "begin break catch class continue do else elseif end exit filter finally foreach function if in param process return switch throw trap try until using while", { variable: String.raw`\$\w+` });
language("sql psql mysql sqlite postgresql", COMMENT.sql, BOTH, "add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists explain foreign from full function group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction trigger union unique update using values view when where with", { anyCase: true });
language("lua", COMMENT.dashes, BOTH, "and break do else elseif end for function goto if in local not or repeat require return self then until while");
language("hs haskell elm", String.raw`--.*|\{-[^]*?(?:-\}|(?![^]))`, `${DOUBLE}|${CHARACTER}`, "case class data deriving do else forall if import in infix instance let module newtype of qualified then type where exposing port");
language("ex exs elixir", COMMENT.hash, `${TRIPLE}|${BOTH}`, "after alias and case catch cond def defmacro defmodule defp defstruct do else end fn for if import in not or quote raise receive require rescue try unless unquote use when with");
language("el elisp lisp clj cljs clojure scm scheme emacs-lisp", COMMENT.semicolon, DOUBLE, "and cond def defconst defcustom defmacro defn defun defvar do fn if lambda let loop ns or progn quote require setq unless when while");
language("r perl pl pm", COMMENT.hash, BOTH, "break else elsif for foreach function if in last library local my next our package print repeat require return sub unless until use while", { variable: String.raw`[$@%]\w+` });
language("tex latex", COMMENT.percent, "(?!)", "", { name: String.raw`\\[A-Za-z]+` });
language("yaml yml", COMMENT.hash, BOTH, "", { name: String.raw`(?<=^[ \t]{0,80}(?:- {1,8}){0,4})[\w.$/-]+(?=:(?:\s|$))` });
language("toml ini cfg conf properties env dotenv editorconfig", `${COMMENT.hash}|(?<!\\S)${COMMENT.semicolon}`, `${TRIPLE}|${BOTH}`, "", { name: String.raw`(?<=^[ \t]{0,80})(?:\[[^\n]*|[\w.-]+(?=[ \t]{0,40}=))` });
language("json jsonc json5 jsonl ndjson", COMMENT.slashes, BOTH, "", { name: String.raw`"(?:[^"\\\n]|\\.)*"(?=[ \t]{0,40}:)` });
language("css scss less sass", COMMENT.slashes, BOTH, "", { name: String.raw`(?<![\w-])[\w-]+(?=:(?!:|\w))|@[\w-]+`, number: String.raw`#[\da-fA-F]{3,8}\b|(?<![\w-])-?\d+(?:\.\d+)?(?:[a-z]+|%)?` });
language("html xml svg xhtml vue svelte jsp plist xsl", String.raw`<!-{2}[^]*?(?:-->|(?![^]))`, String.raw`(?<==)(?:"[^"]*"?|'[^']*'?)`, "", { keyword: String.raw`<\/?[A-Za-z][\w:.-]*|\/?>|<[!?][\w-]+`, name: String.raw`(?<![\w:@.-])[\w:@.-]+(?==["'])` });
language("dockerfile docker containerfile", COMMENT.hash, BOTH, "from run cmd label expose env add copy entrypoint volume user workdir arg onbuild stopsignal healthcheck shell as", { anyCase: true, variable: String.raw`\$\{?\w+\}?` });
language("make makefile mk cmake", COMMENT.hash, BOTH, "define else endef endif export ifdef ifeq ifndef ifneq include override unexport", { name: String.raw`^[\w./%-]+(?=:(?!=))`, variable: String.raw`\$[({]\w+[)}]|\$[@<^*?]` });
language("vim vimscript viml", String.raw`(?<=^[ \t]{0,80})".*`, SINGLE, "augroup autocmd call command echo else elseif endfor endfunction endif endtry endwhile execute finish for function if let local map nmap noremap return set try while");
language("nix hcl terraform tf proto protobuf graphql gql", `${COMMENT.slashes}|${COMMENT.hash}`, DOUBLE, "data enum extend fragment if import in inherit input interface let locals message module mutation oneof option output package provider query rec repeated resource returns rpc scalar schema service subscription syntax then type union variable with");

/** The language of that name, or undefined. */
const languageNamed = (name) => NAMES.get(/^[\w#+-]*/.exec(str(name).trim().toLowerCase())[0]);

const FILES = new Map([
  ["dockerfile", "docker"],
  ["makefile", "make"],
  ["gnumakefile", "make"],
  ["cmakelists.txt", "cmake"],
  ["gemfile", "ruby"],
  ["rakefile", "ruby"],
  [".bashrc", "sh"],
  [".zshrc", "sh"],
  [".profile", "sh"],
  [".env", "env"],
]);

/** The name of the language of a file, by the extension in its path; empty if it has none. */
function languageOfPath(path) {
  const file = str(path).slice(-200).split(/[\\/]/).pop().toLowerCase();
  return FILES.get(file) ?? /\.([\w+]+)$/.exec(file)?.[1] ?? "";
}
