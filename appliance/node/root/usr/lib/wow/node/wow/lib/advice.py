"""Advice for everybody: on the image nobody logs in as root, so what only root may type is followed by what others can do."""
OF_ROOT = ("systemctl", "journalctl")
OTHERWISE = "Without root: start the machine again; where that does not help, send the file of `wow support`"


def whole(todo: str) -> str:
    """What to do, for every reader."""
    if OTHERWISE in todo or not any(word in todo for word in OF_ROOT):
        return todo
    return f"{todo} {OTHERWISE}." if todo.endswith(".") else f"{todo}. {OTHERWISE}"
