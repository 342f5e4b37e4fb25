-- Reverts that. Review it before you apply it.

DROP TABLE "books";
