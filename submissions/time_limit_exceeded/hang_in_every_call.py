"""Never returns; after three cases the rest is not run."""

def encoder_block(*arguments):
    while True:
        pass
