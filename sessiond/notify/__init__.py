"""Changes become messages for those who did not cause them."""
