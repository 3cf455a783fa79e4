import { PYTHON_FILES } from './files.ts';

/** Has programs trust the certificate authorities of the service. */
export const AUTHORITIES = String.raw`
def use_authorities(folder):
    if not job.get("authorities"):
        return
    path = os.path.join(folder, "authorities.pem")
    with open(path, "w") as file:
        file.write(job["authorities"])
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS"):
        os.environ[name] = path
`;

/** Reads one job from standard input, as JSON in one line. Real standard output carries the answer alone. */
export const BEGIN = String.raw`
import json, os, sys
answer_to = os.dup(1)
os.dup2(2, 1)
job = json.loads(sys.stdin.buffer.readline())
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
sys.stdout.reconfigure(line_buffering=True)

def answer(value, lines=()):
    data = (job["marker"] + json.dumps(value, allow_nan=False)).encode("utf-8", "surrogatepass")
    data = memoryview(b"\n".join([data, *lines]))
    sys.stdout.flush()
    sys.stderr.flush()
    while data:
        data = data[os.write(answer_to, data):]
    os._exit(0)

${AUTHORITIES}`;

/**
 * The allowlist of the mode `subprocess` (§8.4). Two rules: what the code imports, in every way, is on the list; and an audit hook,
 * which Python cannot take back, refuses files, processes and the network to everything that the list leads to. It is no security
 * boundary: some calls of the system have no audit event.
 */
const ALLOWLIST = String.raw`
trusted = [False]

def limit_imports(allowed, code):
    import builtins, resource, zoneinfo
    for name, value in job["limits"].items():
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
    sys.dont_write_bytecode = True
    library = os.path.dirname(os.__file__) + os.sep
    readable = (library, *(os.path.join(path, "") for path in (*sys.path, *zoneinfo.TZPATH) if path))
    # Modules that functions written in C load by themselves.
    internal = ("_strptime", "_datetime", "_pydatetime", "encodings")
    effects = (
        "os.", "subprocess.", "socket.", "ctypes.", "shutil.", "pty.", "fcntl.", "mmap.", "signal.", "resource.", "syslog.", "tempfile.",
        "webbrowser.", "urllib.", "http.", "ftplib.", "smtplib.", "poplib.", "imaplib.", "nntplib.", "telnetlib.", "sqlite3.", "glob.",
        "pathlib.", "gc.", "sys.settrace", "sys.setprofile", "sys._current", "code.__new__", "builtins.input", "builtins.breakpoint", "pickle.", "cpython.run",
    )
    busy = [False]

    def is_allowed(name):
        return name in allowed or name.split(".")[0] in allowed or name.split(".")[0] in internal

    def refused_import(name):
        return ImportError("The module " + name + " may not be imported in the mode subprocess; allowed: " + ", ".join(sorted(allowed)))

    def caller(frame):
        while frame is not None:
            name = frame.f_code.co_filename
            if not name.startswith("<frozen importlib") and not name.startswith(library + "importlib" + os.sep):
                return name
            frame = frame.f_back
        return ""

    def is_library(name):
        return name.startswith(library) or name.startswith("<frozen ")

    def is_readable(path, mode, flags):
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        writes = (mode or "r").strip("bt") != "r" or (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        return isinstance(path, str) and not writes and os.path.abspath(path).startswith(readable)

    def check_import(name, frame):
        if not is_library(caller(frame)) and not is_allowed(name):
            raise refused_import(name)

    # The functions of importlib import without an audit event.
    class Guard:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if not trusted[0]:
                check_import(name, sys._getframe(1))

    def check(event, args):
        frame = sys._getframe(2)
        if event == "import":
            check_import(args[0], frame)
        elif event in ("compile", "exec"):
            if args[0] is not code and not is_library(frame.f_code.co_filename):
                raise PermissionError("Code may not be made from texts in the mode subprocess")
        elif event == "open":
            if not is_readable(*args):
                raise PermissionError("Files may not be opened in the mode subprocess")
        elif event.startswith(effects):
            if event != "os.listdir" or not frame.f_code.co_filename.startswith("<frozen importlib"):
                raise PermissionError(event + " may not be used in the mode subprocess")

    def audit(event, args):
        if trusted[0] or busy[0]:
            return
        busy[0] = True
        try:
            check(event, args)
        finally:
            busy[0] = False

    true_import = builtins.__import__
    def guarded(name, globals=None, locals=None, fromlist=(), level=0):
        if not is_allowed(name):
            raise refused_import(name)
        return true_import(name, globals, locals, fromlist, level)

    sys.meta_path.insert(0, Guard)
    limited = dict(vars(builtins))
    limited["__import__"] = guarded
    for name in ("open", "eval", "exec", "compile", "input", "breakpoint", "__loader__", "__spec__"):
        limited.pop(name, None)
    return limited, audit
`;

const RUN = String.raw`
class Params(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError("params has no " + repr(name)) from None
    def to_dict(self):
        return plain(self)

def wrapped(value):
    if isinstance(value, dict):
        return Params((key, wrapped(entry)) for key, entry in value.items())
    return [wrapped(entry) for entry in value] if isinstance(value, list) else value

def plain(value):
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value

def line_of(error):
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == "main.py" else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "main.py":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line

def failed(error):
    import linecache, traceback
    lines = job["source"].splitlines(True)
    linecache.cache["main.py"] = (len(job["source"]), None, lines, "main.py")
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != "<string>"]
    trace = "".join(traceback.format_list(own) + traceback.format_exception_only(type(error), error))
    sys.stderr.write(trace)
    text = error.msg if isinstance(error, SyntaxError) and error.msg else str(error)
    message = type(error).__name__ + (": " + text if text else "")
    answer({"problem": "error", "message": message, "line": line_of(error)})

def run_awaitable(result):
    trusted[0] = True
    import asyncio
    async def awaited():
        return await result
    if "allowed" not in job:
        return asyncio.run(awaited())
    # The loop opens sockets for itself.
    loop = asyncio.new_event_loop()
    trusted[0] = False
    return loop.run_until_complete(awaited())

# The code reads them as variables of the environment or as names that are always there.
def make_folders():
    import builtins
    for name, folder in (("_INPUT_DIR", "/tmp/input"), ("_OUTPUT_DIR", "/tmp/output")):
        os.makedirs(folder)
        os.environ[name] = folder
        setattr(builtins, name, folder)
    place_files("/tmp/input")

def serve():
    has_files = "files" in job
    if job["has_packages"]:
        try:
            with open("/packages/complete.json") as file:
                job["install"] = json.load(file)
        except FileNotFoundError:
            answer({"problem": "no_packages"})
        sys.path.insert(0, "/packages/site")
    if job["has_network"]:
        use_authorities("/tmp")
    if has_files:
        make_folders()
    names = {"__name__": "__main__"}
    try:
        code = compile(job["source"], "main.py", "exec")
        if "allowed" in job:
            names["__builtins__"], audit = limit_imports(job["allowed"], code)
            trusted[0] = True
            sys.addaudithook(audit)
            trusted[0] = False
        exec(code, names)
        entry = names.get(job["entry"])
        if not callable(entry):
            answer({"problem": "no_entry"})
        result = entry(**job["values"]) if job["passes"] == "named" else entry(wrapped(job["values"]))
        if hasattr(result, "__await__"):
            result = run_awaitable(result)
        trusted[0] = True
    except BaseException as error:
        trusted[0] = True
        failed(error)
    try:
        json.dumps(result, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        answer({"problem": "not_json", "message": str(error)})
    done = {"result": result, "install": job.get("install")}
    if not has_files:
        answer(done)
    try:
        files = files_in("/tmp/output")
        contents = contents_of(files)
    except OSError as error:
        failed(error)
    answer({**done, "files": [name for name, _ in files]}, contents)

serve()
`;

/** Runs before the common beginning, which closes the standard input. */
const INSTALL_BEGIN = 'import os\nasked_from = os.dup(0)\n';

const INSTALL = String.raw`
import shutil, subprocess, threading, time
HOME = "/tmp"
SITE = HOME + "/site"

def size_of(folder):
    return sum(os.lstat(os.path.join(path, name)).st_size for path, _, names in os.walk(folder) for name in names if os.path.lexists(os.path.join(path, name)))

# The input closes when the service dies; another process may install the same then.
def end_with_service():
    while os.read(asked_from, 65536):
        pass
    os._exit(1)

def install():
    threading.Thread(target=end_with_service, daemon=True).start()
    if os.path.exists(HOME + "/complete.json"):
        with open(HOME + "/complete.json") as file:
            answer(json.load(file))
    for name in os.listdir(HOME):
        path = os.path.join(HOME, name)
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.unlink(path)
    os.makedirs(HOME + "/work")
    os.environ.update(HOME=HOME + "/work", TMPDIR=HOME + "/work")
    use_authorities(HOME + "/work")
    uv = shutil.which("uv")
    # Only finished packages: nothing of a package is run while it is installed.
    begin = [uv, "pip", "install", "--python", sys.executable] if uv else [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    command = begin + ["--no-cache-dir" if not uv else "--no-cache", "--only-binary", ":all:", "--target", SITE] + job["requirements"]
    with open(HOME + "/work/log", "wb+") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        too_large = False
        while process.poll() is None:
            time.sleep(0.1)
            if size_of(HOME) > job["max_size"]:
                too_large = True
                process.kill()
        log.seek(0, 2)
        log.seek(max(0, log.tell() - 20000))
        text = log.read().decode("utf-8", "replace")
    done = {"ok": process.returncode == 0 and not too_large, "tool": "uv" if uv else "pip", "log": text, "too_large": too_large}
    shutil.rmtree(HOME + "/work", ignore_errors=True)
    if done["ok"]:
        with open(HOME + "/incomplete.json", "w") as file:
            json.dump(done, file)
        os.rename(HOME + "/incomplete.json", HOME + "/complete.json")
    answer(done)

install()
`;

export const PYTHON = {
  run: BEGIN + PYTHON_FILES + ALLOWLIST + RUN,
  install: INSTALL_BEGIN + BEGIN + INSTALL,
} as const;
