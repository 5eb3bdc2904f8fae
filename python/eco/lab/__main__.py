from eco.lab.cli import app
app()
