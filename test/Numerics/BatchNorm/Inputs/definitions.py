"""A small net with batch norm, and what it is fed. Read by who trains it (check.py) and by who computes what is expected
(expected.py)."""
import numpy as np

STEPS, BATCH, LR, MOMENTUM, EPSILON = 10, 8, 0.05, 0.1, 1e-5
# conv 3x3 - batch norm - relu - conv 3x3 - batch norm - add - mean over space - linear - batch norm - cross entropy
PARAMETERS = {"conv1": (4, 3, 3, 3), "conv2": (4, 4, 3, 3), "bn1.weight": (4,), "bn1.bias": (4,), "bn2.weight": (4,),
              "bn2.bias": (4,), "linear": (4, 5), "bn3.weight": (5,), "bn3.bias": (5,)}
NORMS = {"bn1": 4, "bn2": 4, "bn3": 5}


def weights():
    random = np.random.default_rng(7)
    values = {name: (random.standard_normal(shape) * (1 if len(shape) == 1 else 0.4)).astype(np.float32)
              for name, shape in PARAMETERS.items()}
    for name, channels in NORMS.items():
        values[name + ".running_mean"] = np.zeros(channels, np.float32)
        values[name + ".running_var"] = np.ones(channels, np.float32)
    return values


def inputs():
    """Of all steps, one batch after the other. Images are not centred."""
    random = np.random.default_rng(8)
    x = (random.standard_normal((STEPS * BATCH, 3, 7, 6)) * 1.5 + 2).astype(np.float32)
    return {"x": x, "label": random.integers(0, 5, STEPS * BATCH).astype(np.int32)}
