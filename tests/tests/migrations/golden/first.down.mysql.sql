-- Reverts that. Review it before you apply it.
-- For an up file of the hash af763ad13564a956

DROP TABLE `books`;
