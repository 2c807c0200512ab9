"""The doctor: what stops a night, in sentences with the mend."""
