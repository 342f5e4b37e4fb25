-- Reverts that. Review it before you apply it.
-- For an up file of the hash 972b455b0d2828ed

DROP TABLE "books";
