"""Program -> what people read: text now, JSON beside it."""
