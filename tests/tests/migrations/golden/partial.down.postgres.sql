-- Reverts that. Review it before you apply it.
-- For an up file of the hash 7b5db1aba14dc5f6

DROP TABLE "marks";

DROP TABLE "notes";
