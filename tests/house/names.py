#!/usr/bin/env python3
"""One name for the parameters of a type.

    names.py SOURCE           fails where a parameter of a type in the table has another name
    names.py SOURCE --table   the table as it stands in docs/contributing.md

The table says how a parameter of a type is called. Where a function has several of that type, their
names say what each is for (`from` and `to`, `a` and `b`, `old` and `new`); one that is a result may be
`out`. Arrays are plural and free. The kernel has names of its own, which its users know.
"""
import pathlib
import re
import sys

# type: its name, then names for a part that such a parameter plays in some functions
TABLE = {
    "ct_context": "ctx other",
    "ct_model": "model fork",
    "ct_graph": "g",
    "ct_formulation": "f view in_angles",
    "ct_layout": "l",
    "ct_assembly": "assembly from",
    "ct_assembled": "at",
    "ct_closure": "c",
    "ct_closed": "closed",
    "ct_flow": "flow tried",
    "ct_relation": "r point",
    "ct_placement": "p placed",
    "ct_loop_group": "group",
    "ct_step_builder": "build whole",
    "ct_values": "values",
    "ct_unknown": "u slide turn",
    "ct_program": "program",
    "ct_registers": "registers known",
    "ct_emission": "code",
    "ct_pool": "pool",
    "ct_numbers": "numbers",
    "ct_rows": "rows aside",
    "ct_loads": "loads",
    "ct_force": "force tyre",
    "ct_joint": "joint",
    "ct_system": "s before",
    "ct_plan": "plan",
    "ct_bench_plan": "plan",
    "ct_run_options": "options",
    "ct_basis_options": "options",
    "ct_bench_options": "options",
    "ct_configurations_options": "options",
    "ct_run_summary": "summary",
    "ct_bench_result": "result",
    "ct_close_info": "info",
    "ct_ring": "ring number_ring big",
    "ct_trig": "trig",
    "ct_trig_system": "system from",
    "ct_block_system": "system",
    "ct_poly_system": "system",
    "ct_basis_system": "system",
    "ct_block_point": "at",
    "ct_template_result": "result",
    "ct_triangular": "triangular",
    "ct_substitution": "known coordinates given inside",
    "ct_inverse": "inverse",
    "ct_rationals": "rationals",
    "ct_limits": "limits",
    "ct_text": "t body",
    "ct_lines": "lines",
    "ct_arena": "arena scratch",
    "ct_region": "region",
    "ct_scope": "scope",
    "ct_cleanup": "cleanup",
    "ct_pose": "pose",
    "ct_anchors": "anchors",
    "ct_jump": "jump",
    "ct_view": "v",
}

TOKEN = re.compile(
    r"""(?P<blank>\s+)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<mark>->|\#\#|.)""",
    re.S,
)
QUALIFIERS = {"const", "struct", "volatile", "restrict", "static", "register", "union", "enum"}


class Token:
    def __init__(self, kind, text, line, directive):
        self.kind, self.text, self.line, self.directive = kind, text, line, directive


def tokens_of(text):
    """Every token with its line; those of preprocessor lines say so."""
    out, line, directive, line_begins = [], 1, False, True
    for match in TOKEN.finditer(text):
        kind, piece = match.lastgroup, match.group()
        if kind == "mark" and piece == "#" and line_begins:
            directive = True
        out.append(Token(kind, piece, line, directive))
        if "\n" in piece and not (out[-2:-1] and out[-2].text == "\\"):
            if kind != "comment":
                directive = False
            line_begins = True
        elif kind not in ("blank", "comment"):
            line_begins = False
        line += piece.count("\n")
    return out


class Parameter:
    def __init__(self, type_, stars, name, is_array, at):
        self.type, self.stars, self.name, self.is_array, self.at = type_, stars, name, is_array, at


class Function:
    """Indices into the tokens of its file: of the name, of the parentheses, behind the body."""

    def __init__(self, name, parameters, opens, closes, end):
        self.name, self.parameters = name, parameters
        self.opens, self.closes, self.end = opens, closes, end


def parameter(tokens, indices):
    """A parameter from its tokens, None for one that is a function or has no name."""
    words = [i for i in indices if tokens[i].text not in QUALIFIERS]
    texts = [tokens[i].text for i in words]
    if len(words) < 2 or "(" in texts or texts[-1] == "...":
        return None
    is_array = "[" in texts
    if is_array:
        words = words[: texts.index("[")]
        texts = texts[: len(words)]
    if tokens[words[-1]].kind != "word" or len(words) < 2:
        return None
    return Parameter(texts[0], texts.count("*"), texts[-1], is_array, words[-1])


def functions_of(tokens):
    """Declarations and definitions of functions at file scope."""
    code = [i for i, t in enumerate(tokens) if t.kind not in ("blank", "comment") and not t.directive]
    out, at, start = [], 0, 0

    def matching(k, open_, close):
        depth = 0
        while k < len(code):
            text = tokens[code[k]].text
            depth += (text == open_) - (text == close)
            if depth == 0:
                return k
            k += 1
        return k

    while at < len(code):
        text = tokens[code[at]].text
        if text == '"C"' and at + 1 < len(code) and tokens[code[at + 1]].text == "{":
            at += 2
            start = at
        elif text == "{":
            at = matching(at, "{", "}") + 1
            if at < len(code) and tokens[code[at]].text not in (";", ",", "=") and tokens[code[at]].kind != "word":
                start = at
        elif text in ";}":
            at += 1
            start = at
        elif text == "(" and at > start and tokens[code[at - 1]].kind == "word":
            closes = matching(at, "(", ")")
            after = tokens[code[closes + 1]].text if closes + 1 < len(code) else ""
            head = [tokens[i].text for i in code[start:at]]
            if after in ("{", ";") and len(head) > 1 and "=" not in head and head[0] != "typedef":
                end = matching(closes + 1, "{", "}") if after == "{" else closes + 1
                parts, depth = [[]], 0
                for i in code[at + 1 : closes]:
                    depth += (tokens[i].text in "([") - (tokens[i].text in ")]")
                    if tokens[i].text == "," and depth == 0:
                        parts.append([])
                    else:
                        parts[-1].append(i)
                parameters = [p for p in (parameter(tokens, part) for part in parts) if p]
                out.append(Function(head[-1], parameters, code[at], code[closes], code[end]))
                at = end + 1
                start = at
            else:
                at = closes + 1
        else:
            at += 1
    return out


def wrong(function):
    """Parameters that the table calls otherwise."""
    for p in function.parameters:
        if p.type not in TABLE or p.is_array or p.stars > 1:
            continue
        of_type = [o for o in function.parameters if o.type == p.type and not o.is_array]
        if len(of_type) == 1 and p.name not in TABLE[p.type].split() + ["out"]:
            yield p


def sources(root):
    """Files of the library and its header; the kernel has names of its own."""
    for path in sorted(pathlib.Path(root).rglob("*.[ch]")):
        if "kernel" not in path.parts:
            yield path


def main():
    if "--table" in sys.argv:
        for type_, names in TABLE.items():
            print("| `%s` | `%s` |" % (names.split()[0], type_))
        return 0
    found = seen = 0
    for path in sources(sys.argv[1]):
        tokens = tokens_of(path.read_text())
        for function in functions_of(tokens):
            seen += 1
            for p in wrong(function):
                found += 1
                print(
                    "%s:%d: %s calls a %s '%s': call it '%s'"
                    % (path, tokens[p.at].line, function.name, p.type, p.name, TABLE[p.type].split()[0])
                )
    print("names: %d functions, %d parameters with another name" % (seen, found))
    return 1 if found or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
