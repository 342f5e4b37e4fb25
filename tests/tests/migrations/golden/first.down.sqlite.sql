-- Reverts that. Review it before you apply it.
-- For an up file of the hash 654cabf9df5b93ee

DROP TABLE `books`;
