"""``gymnasium:ID``: any environment of Gymnasium with discrete or text actions."""
