"""Is it wired right: asks for one part after another, and says where to look for what does not answer."""
