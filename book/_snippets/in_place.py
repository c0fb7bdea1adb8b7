# @title Helper: every in-place method
# snippet: in_place
import warnings

import torch


def numbers(device, **options):
    """Return the tensor on which the in-place methods are tried."""
    return torch.tensor([[-2.5, 0.5], [1.5, 3.5]], device=device, **options)


def in_place_methods(device):
    """Return, by name, a call of each in-place method that runs on `numbers(device)`."""
    ones, index = torch.ones(2, 2, device=device), torch.tensor([0, 1], device=device)
    row, rows, mask = ones[0], torch.stack([index, index]), ones > 0
    tries = [(), (2,), (1,), (0.5,), (ones,), (0, 1), (ones, ones), (row, row), (mask, ones)]
    tries += [(mask, 2), ((index,), row), (rows, ones), (0, index, 2), (0, index, ones)]
    tries += [(0, rows, ones), (0, rows, ones, "sum"), (0, index, ones, "prod"), (1, 0, 0.25)]
    tries += [(ones, row), ((2,), (1,)), (ones, [0])]
    calls = {}
    for name in dir(torch.Tensor):
        for arguments in tries if name.endswith("_") and not name.startswith("_") else ():

            def call(t, name=name, arguments=arguments):
                return getattr(t, name)(*arguments)

            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    call(numbers(device))
            except Exception:  # it takes other arguments, or no floats
                continue
            calls[name] = call
            break
    return calls
