"""The ground that every layer needs and none of them owns: settings, errors, limits, logs,
processes.
"""
