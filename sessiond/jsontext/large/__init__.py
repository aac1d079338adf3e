"""Work on texts of many megabytes in steps, so that no step holds the interpreter for long."""
